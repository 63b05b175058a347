/// \file
/// ptdbg_ascend's verbs over one dump session of the process.
#pragma once

#include <plumb/dump/dump_session.hpp>
#include <plumb/random/process_state.hpp>
#include <plumb/random/randomness.hpp>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb {

/// What register_hook() registers: ptdbg_ascend's two hooks.
enum class hook_kind : std::uint8_t { acc_cmp_dump, overflow_check };
inline constexpr hook_kind acc_cmp_dump = hook_kind::acc_cmp_dump;
inline constexpr hook_kind overflow_check = hook_kind::overflow_check;

namespace detail {

/// What the verbs share. One in a process.
struct default_hooks {
    std::mutex mutex;
    std::filesystem::path path;
    std::unique_ptr<overflow_guard> guard; // before the session, which watches it
    std::unique_ptr<dump_session> session;
    std::unique_ptr<dropout_off> no_dropout;
    std::atomic<dump_session*> active{nullptr};
};

/// Made at the first use, so that only those who use it compile a dump session; stopped when the process ends.
inline PLUMB_VISIBLE default_hooks& shared_hooks() {
    static default_hooks hooks;
    return hooks;
}

inline bool is_on(std::string_view word, const char* what) {
    if (word != "ON" && word != "OFF")
        throw std::invalid_argument(std::string("plumb: ") + what + " is \"ON\" or \"OFF\", not \"" + std::string(word) + "\"");
    return word == "ON";
}

/// With the mutex locked. The path is the one that was set, or $ASCEND_WORK_PATH/dump_data.
inline dump_session& make_default_session(default_hooks& hooks, const dump_options& options) {
    auto path = hooks.path;
    if (path.empty()) {
        const char* base = std::getenv("ASCEND_WORK_PATH");
        if (!base || !*base)
            throw std::invalid_argument("plumb: set_dump_path() comes first (or set the environment variable ASCEND_WORK_PATH)");
        path = std::filesystem::path(base) / "dump_data" / "ptdbg_dump_v4.0";
    }
    hooks.active.store(nullptr, std::memory_order_release);
    hooks.session = std::make_unique<dump_session>(std::move(path), options);
    hooks.active.store(hooks.session.get(), std::memory_order_release);
    return *hooks.session;
}

} // namespace detail

/// Where the dump goes: `fpath`/`dump_tag`_v4.0/, the version being that of the layout. Throws std::invalid_argument for an empty
/// path.
inline void set_dump_path(const std::filesystem::path& fpath, const std::string& dump_tag = "ptdbg_dump") {
    if (fpath.empty() || dump_tag.empty() || dump_tag.find('/') != std::string::npos)
        throw std::invalid_argument("plumb: set_dump_path needs a path, and a tag that is a folder's name");
    auto& hooks = detail::shared_hooks();
    const std::lock_guard<std::mutex> lock(hooks.mutex);
    hooks.path = fpath / (dump_tag + "_v4.0");
}

/// Gets ready to dump (acc_cmp_dump; set_dump_switch() begins), with dropout off from now on, as the tool does. Or watches for
/// overflows at once (overflow_check): saturation counts as one, each is dumped with the operators before it, and number
/// `overflow_nums` throws overflow_limit (-1: never). Call it before training threads run; a second call begins anew.
inline void register_hook(hook_kind hook, int overflow_nums = 1, std::optional<int> rank = {}) {
    auto& hooks = detail::shared_hooks();
    dump_options options;
    options.rank = rank;
    std::unique_ptr<overflow_guard> guard;
    if (hook == hook_kind::overflow_check) {
        guard_options watching;
        watching.saturation = saturation_check::overflow;
        guard = std::make_unique<overflow_guard>(overflow_nums, std::move(watching));
        options.keep_last = 8;
    }
    const std::lock_guard<std::mutex> lock(hooks.mutex);
    hooks.no_dropout = hook == hook_kind::acc_cmp_dump ? std::make_unique<dropout_off>() : nullptr;
    dump_session& session = detail::make_default_session(hooks, options);
    hooks.guard = std::move(guard);
    if (!hooks.guard) return;
    session.watch(hooks.guard.get());
    session.start(dump_mode::api_stack);
}

/// The session that the verbs work on. Throws std::logic_error before register_hook().
inline dump_session& default_dump_session() {
    dump_session* session = detail::shared_hooks().active.load(std::memory_order_acquire);
    if (!session) throw std::logic_error("plumb: register_hook() comes first");
    return *session;
}
/// True while the default session records or watches.
inline bool hooks_enabled() noexcept {
    const dump_session* session = detail::shared_hooks().active.load(std::memory_order_acquire);
    return session && session->enabled();
}

/// Begins ("ON") or stops ("OFF") recording, with the tool's arguments: `mode` all, api_stack, list, range, stack, api_list or
/// module; `scope` and `api_list` names for some of them; `filter_switch` "ON" leaves out scalars, integers and empty tensors;
/// `dump_mode` words of all, forward, backward, input, output, where a half that is missing means both of its words. OFF writes
/// the index. Throws std::invalid_argument for any other word, and what dump_session::start() and stop() throw.
inline void set_dump_switch(std::string_view switch_word, std::string_view mode = "all", std::vector<std::string> scope = {},
                            std::vector<std::string> api_list = {}, std::string_view filter_switch = "OFF",
                            const std::vector<std::string>& dump_mode_words = {"all"}, bool summary_only = false) {
    dump_session& session = default_dump_session();
    if (!detail::is_on(switch_word, "the dump switch")) return session.stop();
    const auto parsed = parse_dump_mode(mode);
    if (!parsed) throw std::invalid_argument("plumb: \"" + std::string(mode) + "\" is no dump mode");

    bool forward = false, backward = false, input = false, output = false;
    for (const std::string& word : dump_mode_words) {
        const bool all = word == "all";
        if (!all && word != "forward" && word != "backward" && word != "input" && word != "output")
            throw std::invalid_argument("plumb: dump_mode has all, forward, backward, input and output, not \"" + word + "\"");
        forward = forward || all || word == "forward";
        backward = backward || all || word == "backward";
        input = input || all || word == "input";
        output = output || all || word == "output";
    }
    tensor_recorder recorder;
    recorder.filter = detail::is_on(filter_switch, "filter_switch");
    recorder.content = summary_only ? dump_content::summary : dump_content::data;
    recorder.inputs = input || !output;
    recorder.outputs = output || !input;
    operator_selector selector;
    selector.mode = *parsed;
    selector.scope = std::move(scope);
    selector.api_list = std::move(api_list);
    selector.forward = forward || !backward;
    selector.backward = backward || !forward;
    selector.check();
    session.set_recorder(recorder);
    session.start(std::move(selector));
}

/// Switches the overflow check on or off. Throws std::invalid_argument for other words, std::logic_error without
/// register_hook(overflow_check). `filter_switch` is as above.
inline void set_overflow_check_switch(std::string_view switch_word, std::string_view filter_switch = "OFF") {
    dump_session& session = default_dump_session();
    auto& hooks = detail::shared_hooks();
    const std::lock_guard<std::mutex> lock(hooks.mutex);
    if (!hooks.guard) throw std::logic_error("plumb: register_hook(overflow_check) comes first");
    tensor_recorder recorder;
    recorder.filter = detail::is_on(filter_switch, "filter_switch");
    session.set_recorder(recorder);
    session.set_enabled(detail::is_on(switch_word, "the overflow check's switch"));
}

/// For the framework: tells the default session of a call, as dump_session::forward() does. Costs two loads while it is off.
template <class Inputs, class Outputs>
void hook_forward(std::string_view prefix, std::string_view api, const Inputs& inputs, const Outputs& outputs) {
    if (hooks_enabled()) default_dump_session().forward(prefix, api, inputs, outputs);
}
/// The same for a backward call.
template <class Inputs, class Outputs>
void hook_backward(std::string_view prefix, std::string_view api, const Inputs& inputs, const Outputs& outputs) {
    if (hooks_enabled()) default_dump_session().backward(prefix, api, inputs, outputs);
}

} // namespace plumb
