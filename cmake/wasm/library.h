// What the sources use of C++20's library and Debian's emscripten does not have: its libc++ is of version 13. Every source is compiled with this
// header in front (-include), for WebAssembly alone.
//
// Only what is used is here, and only as it is used: the algorithms over ranges call those over iterators.
#pragma once

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cmath>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#if !defined(_LIBCPP_VERSION) || _LIBCPP_VERSION >= 14000
#error "this header is for libc++ 13 alone; a newer one has what is here"
#endif

namespace std {

// --- <bit>

template <class To, class From>
requires(sizeof(To) == sizeof(From) && is_trivially_copyable_v<To> &&
         is_trivially_copyable_v<From>) constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

// --- <memory>

template <class T>
requires is_unbounded_array_v<T> unique_ptr<T> make_unique_for_overwrite(size_t count) {
  return unique_ptr<T>(new remove_extent_t<T>[count]);
}

// --- <charconv>: numbers with a point. C's printf writes the exact digits here, and no other locale than "C" exists.

inline to_chars_result to_chars_of(char* first, char* last, string_view text) {
  if (last - first < static_cast<ptrdiff_t>(text.size())) return {last, errc::value_too_large};
  return {copy(text.begin(), text.end(), first), errc()};
}

inline to_chars_result to_chars(char* first, char* last, double value, chars_format format,
                                int precision) {
  char text[400];
  const char* const how = format == chars_format::fixed     ? "%.*f"
                          : format == chars_format::general ? "%.*g"
                                                            : "%.*e";
  return to_chars_of(first, last,
                     {text, size_t(snprintf(text, sizeof text, how, precision, value))});
}

// The shortest text that reads back to the same number, fixed where it is not longer than scientific.
inline to_chars_result to_chars(char* first, char* last, double value) {
  char scientific[40], fixed[400];
  int digits = 0, length = 0;
  if (isfinite(value)) do {
      length = snprintf(scientific, sizeof scientific, "%.*e", digits, value);
    } while (strtod(scientific, nullptr) != value && ++digits < 17);
  else
    length = snprintf(scientific, sizeof scientific, "%f", value);
  if (!isfinite(value)) return to_chars_of(first, last, {scientific, size_t(length)});
  const int exponent = atoi(strchr(scientific, 'e') + 1);
  if (abs(exponent) < 40) {
    const int places = digits > exponent ? digits - exponent : 0;
    const int whole = snprintf(fixed, sizeof fixed, "%.*f", places, value);
    if (whole <= length) return to_chars_of(first, last, {fixed, size_t(whole)});
  }
  return to_chars_of(first, last, {scientific, size_t(length)});
}

// Of the beginning of a text: no blanks, no plus sign, no hexadecimal digits, which C's strtod takes.
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const string_view text(first, size_t(last - first));
  const string ended(text.substr(0, text.find_first_of("xX")));
  if (ended.empty() || strchr("+ \t\n\v\f\r", ended.front()) != nullptr)
    return {first, errc::invalid_argument};
  char* end = nullptr;
  const double found = strtod(ended.c_str(), &end);
  if (end == ended.c_str()) return {first, errc::invalid_argument};
  const char* const reached = first + (end - ended.c_str());
  if (isinf(found) && ended.find_first_of("iI") == string::npos)
    return {reached, errc::result_out_of_range};
  value = found;
  return {reached, errc()};
}

// --- <ranges> and <algorithm>

namespace ranges {

template <class R>
using place_of = decltype(std::begin(declval<R&>()));

// With a projection, what an algorithm compares or asks.
template <class F, class P>
auto projected(F& f, P& p) {
  return [&f, &p](auto&& x) -> decltype(auto) {
    return std::invoke(f, std::invoke(p, std::forward<decltype(x)>(x)));
  };
}
template <class F, class P>
auto both_projected(F& f, P& p) {
  return [&f, &p](auto&& x, auto&& y) -> decltype(auto) {
    return std::invoke(f, std::invoke(p, std::forward<decltype(x)>(x)),
                       std::invoke(p, std::forward<decltype(y)>(y)));
  };
}

// Asked of each element.
#define POSTRIDER_ASKING(name)                                               \
  inline constexpr struct {                                                  \
    template <class R, class F, class P = identity>                          \
    constexpr auto operator()(R&& r, F f, P p = {}) const {                  \
      return std::name(std::begin(r), std::end(r), ranges::projected(f, p)); \
    }                                                                        \
  } name{};
POSTRIDER_ASKING(all_of)
POSTRIDER_ASKING(any_of)
POSTRIDER_ASKING(none_of)
POSTRIDER_ASKING(find_if)
POSTRIDER_ASKING(find_if_not)
POSTRIDER_ASKING(count_if)
#undef POSTRIDER_ASKING

// Comparing elements with each other.
#define POSTRIDER_ORDERING(name, Default)                                         \
  inline constexpr struct {                                                       \
    template <class R, class F = Default, class P = identity>                     \
    constexpr auto operator()(R&& r, F f = {}, P p = {}) const {                  \
      return std::name(std::begin(r), std::end(r), ranges::both_projected(f, p)); \
    }                                                                             \
  } name{};
POSTRIDER_ORDERING(sort, std::less<>)
POSTRIDER_ORDERING(stable_sort, std::less<>)
POSTRIDER_ORDERING(is_sorted, std::less<>)
POSTRIDER_ORDERING(max_element, std::less<>)
POSTRIDER_ORDERING(min_element, std::less<>)
POSTRIDER_ORDERING(adjacent_find, std::equal_to<>)
#undef POSTRIDER_ORDERING

inline constexpr struct {
  template <class R, class T, class P = identity>
  constexpr auto operator()(R&& r, const T& value, P p = {}) const {
    return std::find_if(std::begin(r), std::end(r),
                        [&](auto&& x) { return std::invoke(p, x) == value; });
  }
} find{};
inline constexpr struct {
  template <class R, class T, class P = identity>
  constexpr auto operator()(R&& r, const T& value, P p = {}) const {
    return std::count_if(std::begin(r), std::end(r),
                         [&](auto&& x) { return std::invoke(p, x) == value; });
  }
} count{};
inline constexpr struct {
  template <class R, class T, class F = std::less<>, class P = identity>
  constexpr auto operator()(R&& r, const T& value, F f = {}, P p = {}) const {
    return std::lower_bound(std::begin(r), std::end(r), value, [&](auto&& x, const T& v) {
      return std::invoke(f, std::invoke(p, x), v);
    });
  }
} lower_bound{};
inline constexpr struct {
  template <class R, class T, class F = std::less<>, class P = identity>
  constexpr auto operator()(R&& r, const T& value, F f = {}, P p = {}) const {
    return std::upper_bound(std::begin(r), std::end(r), value, [&](const T& v, auto&& x) {
      return std::invoke(f, v, std::invoke(p, x));
    });
  }
} upper_bound{};
inline constexpr struct {
  template <class R, class T>
  constexpr bool operator()(R&& r, const T& value) const {
    return std::binary_search(std::begin(r), std::end(r), value);
  }
} binary_search{};
inline constexpr struct {
  template <class R, class F = std::less<>, class P = identity>
  constexpr auto operator()(R&& r, place_of<R> nth, F f = {}, P p = {}) const {
    std::nth_element(std::begin(r), nth, std::end(r), ranges::both_projected(f, p));
    return std::end(r);
  }
} nth_element{};
inline constexpr struct {
  template <class R, class S, class F = std::equal_to<>>
  constexpr bool operator()(R&& r, S&& s, F f = {}) const {
    return std::equal(std::begin(r), std::end(r), std::begin(s), std::end(s), f);
  }
} equal{};
inline constexpr struct {
  template <class R, class T>
  constexpr auto operator()(R&& r, const T& value) const {
    std::fill(std::begin(r), std::end(r), value);
    return std::end(r);
  }
} fill{};
inline constexpr struct {
  template <class R, class T>
  constexpr auto operator()(R&& r, const T& old, const T& now) const {
    std::replace(std::begin(r), std::end(r), old, now);
    return std::end(r);
  }
} replace{};
inline constexpr struct {
  template <class R>
  constexpr auto operator()(R&& r) const {
    std::reverse(std::begin(r), std::end(r));
    return std::end(r);
  }
} reverse{};
inline constexpr struct {
  template <class R, class O>
  constexpr O operator()(R&& r, O out) const {
    return std::copy(std::begin(r), std::end(r), out);
  }
} copy{};
inline constexpr struct {
  template <class R, class O>
  constexpr O operator()(R&& r, O out) const {
    return std::move(std::begin(r), std::end(r), out);
  }
} move{};
inline constexpr struct {
  template <class R, class O, class F, class P = identity>
  constexpr O operator()(R&& r, O out, F f, P p = {}) const {
    return std::copy_if(std::begin(r), std::end(r), out, ranges::projected(f, p));
  }
} copy_if{};
inline constexpr struct {
  template <class R, class S, class O>
  constexpr O operator()(R&& r, S&& s, O out) const {
    return std::set_union(std::begin(r), std::end(r), std::begin(s), std::end(s), out);
  }
} set_union{};
inline constexpr struct {
  template <class R, class S, class O>
  constexpr O operator()(R&& r, S&& s, O out) const {
    return std::set_intersection(std::begin(r), std::end(r), std::begin(s), std::end(s), out);
  }
} set_intersection{};

}  // namespace ranges
}  // namespace std
