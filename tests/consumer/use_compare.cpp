#include <plumb/compare.hpp>

#include <iostream>

int main() {
    const plumb::comparison nothing = plumb::compare(plumb::dump{}, plumb::dump{});
    plumb::write_json(std::cout, nothing);
    return nothing.rows.empty() ? 0 : 1;
}
