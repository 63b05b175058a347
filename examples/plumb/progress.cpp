#include "progress.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

progress_bar::progress_bar(std::string what) : what_(std::move(what)) {
    const char* term = std::getenv("TERM");
    visible_ = ::isatty(STDERR_FILENO) != 0 && (term == nullptr || std::string_view(term) != "dumb");
    next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(200); // what is quicker needs no bar
}

progress_bar::~progress_bar() {
    if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void progress_bar::show(std::size_t done, std::size_t total) {
    const auto now = std::chrono::steady_clock::now();
    if (!visible_ || total == 0 || now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    constexpr std::size_t cells = 30;
    const std::size_t full = done * cells / total;
    std::string bar;
    for (std::size_t i = 0; i < cells; ++i) bar += i < full ? "█" : "░";
    std::fprintf(stderr, "\r%s %s %zu of %zu\x1b[K", what_.c_str(), bar.c_str(), done, total);
    drawn_ = true;
}
