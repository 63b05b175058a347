// A progress bar on standard error.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

/// Draws a bar while work is done, and wipes it at its end; nothing where standard error is no terminal.
class progress_bar {
public:
    explicit progress_bar(std::string what);
    progress_bar(const progress_bar&) = delete;
    progress_bar& operator=(const progress_bar&) = delete;
    ~progress_bar();

    /// `done` of `total` parts are done. Cheap enough to be called for each of them.
    void show(std::size_t done, std::size_t total);

private:
    std::string what_;
    bool visible_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point next_;
};
