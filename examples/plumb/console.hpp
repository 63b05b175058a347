// How results and messages reach people: colours, names with odd characters, the width of the terminal.
#pragma once

#include <plumb/verdict/verdict.hpp>

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

namespace console {

/// Writes results to standard output. A reader that has gone away (`plumb … | head`) is no error: the rest is dropped. Throws
/// std::runtime_error if the text can't be written for any other reason, such as a full disk.
void print(std::string_view text);

/// The same as a stream, which must be flushed.
std::ostream& out();

/// The text of an error without "plumb: ", with which the library's begin: for a place where that is said already.
std::string_view without_own_name(std::string_view message);

/// Writes one message to standard error, after "plumb: ", its control characters made visible.
void tell(std::string_view message);
/// The same for what was tolerated, after "plumb: warning: ".
void warn(std::string_view message);

/// Columns of the terminal on standard output; nothing limits them (0) where it is none, so that no name is cut in a file or
/// pipe.
std::size_t width();

enum class look { plain, dim, bold, good, doubtful, bad };

/// `text` in that look, if standard output is a terminal that has colours, NO_COLOR is not set and TERM is not "dumb".
std::string in(look style, std::string_view text);

/// How an outcome looks.
look look_of(plumb::outcome result);

/// A name as it can be shown: control characters become \t, \n, \x1b, bytes that are not UTF-8 \xff, and a backslash \\ where
/// there was any of these. All other UTF-8 stays.
std::string shown(std::string_view name);

/// Columns that a shown text takes on a terminal: 2 for an East Asian wide character, 0 for a combining one.
std::size_t columns(std::string_view text);

/// `text` of at most `limit` columns: its middle becomes "…" where it is longer. The end of a name tells more than its middle.
std::string shortened(std::string_view text, std::size_t limit);

/// `text` in lines of at most `limit` columns, or of the terminal's if that is less, broken at spaces, each after `indent` spaces
/// and ending in a newline.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t limit = 100);

} // namespace console
