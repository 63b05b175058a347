/// \file
/// Operators that write a number which the program gave them, so that an infinity in their output is no overflow.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// Functions that write a constant which the caller gave, or leave memory as it was: what they put out is meant to be so, never
/// an overflow of their own. Names without prefix, call and direction, without the "_" of a call in place and without "_like".
inline std::vector<std::string> default_constant_writers() {
    return {"fill",         "full",      "new_full",      "masked_fill",       "index_fill",        "fill_diagonal",   "pad",
            "empty",        "new_empty", "empty_strided", "new_empty_strided", "empty_with_format", "constant_pad_nd", "tensor",
            "scalar_tensor"};
}

/// True if what `api` names is in such a list: "full", "full_", "full_like", "aten::full.out" are all "full".
inline bool writes_constant(std::string_view api, const std::vector<std::string>& writers) {
    if (const auto colons = api.rfind("::"); colons != std::string_view::npos) api.remove_prefix(colons + 2);
    api = api.substr(0, api.find('.'));
    if (api.size() > 1 && api.back() == '_' && api[api.size() - 2] != '_') api.remove_suffix(1);
    if (api.size() > 5 && api.substr(api.size() - 5) == "_like") api.remove_suffix(5);
    return std::find(writers.begin(), writers.end(), api) != writers.end();
}

} // namespace plumb
