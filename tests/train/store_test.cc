#include "train/store.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "files.h"

namespace postrider::network {
using namespace internal;
namespace {

template <class T>
class StoreTest : public testing::Test {
 protected:
  TemporaryFolder folder;
  const std::string path = folder.file("store");
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(StoreTest, Types);

TYPED_TEST(StoreTest, MemoryAndFileBehaveAlike) {
  constexpr std::size_t kGroups = 5, kWeights = 3000;  // more than a page each
  for (const std::string& place : {std::string(), this->path}) {
    MessageStore<TypeParam> store(kGroups, kWeights, place);
    EXPECT_EQ(this->folder.files(), 0U) << "no program that ends can leave the file behind";
    EXPECT_EQ(store.groups(), kGroups);
    EXPECT_EQ(store.bytes(), 2 * kGroups * kWeights * sizeof(TypeParam));
    ASSERT_EQ(store.all().size(), 2 * kGroups * kWeights);
    EXPECT_TRUE(std::ranges::all_of(store.all(), [](TypeParam x) { return x == 0; }));
    for (std::size_t g = 0; g < kGroups; ++g)
      for (std::size_t i = 0; i < kWeights; ++i) {
        store.tau(g)[i] = static_cast<TypeParam>(g * kWeights + i);
        store.rho(g)[i] = -static_cast<TypeParam>(g * kWeights + i) - 1;
      }
    // No message shares memory with another: group by group, tau then rho.
    std::size_t at = 0;
    for (std::size_t g = 0; g < kGroups; ++g) {
      for (std::size_t i = 0; i < kWeights; ++i)
        ASSERT_EQ(store.all()[at++], static_cast<TypeParam>(g * kWeights + i));
      for (std::size_t i = 0; i < kWeights; ++i)
        ASSERT_EQ(store.all()[at++], -static_cast<TypeParam>(g * kWeights + i) - 1);
    }
  }
}

// Two blocks of four inputs with two numbers each, and three numbers of other layers.
TYPED_TEST(StoreTest, MessagesAboutSomeInputsTakeNoMore) {
  const MessageShape shape{2, 4, 2, 3};
  InputLists lists;
  lists.add(std::vector<std::uint32_t>{0, 3});
  lists.add(std::vector<std::uint32_t>{3});
  lists.add(std::vector<std::uint32_t>{0, 1, 2, 3});
  const std::vector<std::size_t> sizes{2 * 2 * 2 + 3, 2 * 1 * 2 + 3, 2 * 4 * 2 + 3};
  MessageStore<TypeParam> store(shape, lists, this->path);
  EXPECT_TRUE(store.is_sparse());
  EXPECT_EQ(store.bytes(), 2 * (11 + 7 + 19) * sizeof(TypeParam));
  TypeParam value = 0;
  for (std::size_t g = 0; g < 3; ++g) {
    ASSERT_EQ(store.tau(g).size(), sizes[g]);
    ASSERT_EQ(store.rho(g).size(), sizes[g]);
    EXPECT_TRUE(std::ranges::equal(store.touched(g).inputs, lists[g]));
    for (TypeParam& each : store.tau(g)) each = value++;
    for (TypeParam& each : store.rho(g)) each = value++;
  }
  for (std::size_t at = 0; at < store.all().size(); ++at)
    ASSERT_EQ(store.all()[at], static_cast<TypeParam>(at)) << "one after another";
}

// Rows of zeros, of a layer without bias and nothing above it.
TYPED_TEST(StoreTest, MessagesAboutNothing) {
  InputLists lists;
  lists.add({});
  lists.add({});
  MessageStore<TypeParam> store({1, 3, 16, 0}, lists, this->path);
  EXPECT_TRUE(store.is_sparse());
  EXPECT_EQ(store.bytes(), 0U);
  EXPECT_TRUE(store.tau(1).empty());
}

TYPED_TEST(StoreTest, WholeListsAreNotKept) {
  const MessageShape shape{1, 2, 4, 8};
  InputLists lists;
  lists.add(std::vector<std::uint32_t>{0, 1});
  MessageStore<TypeParam> store(shape, lists);
  EXPECT_FALSE(store.is_sparse());
  EXPECT_TRUE(store.touched(0).is_all);
  EXPECT_EQ(store.tau(0).size(), 16U);
}

TYPED_TEST(StoreTest, WhatIsThereIsNeverTaken) {
  write_bytes(this->path, "precious");
  const std::string link = this->folder.file("link"), other = this->folder.file("other");
  std::filesystem::create_symlink(other, link);
  for (const std::string& taken : {this->path, link})
    EXPECT_NE(
        trouble([&] { MessageStore<TypeParam> store(2, 10, taken); }).find("is there already"),
        std::string::npos);
  EXPECT_EQ(bytes_of(this->path), "precious");
  EXPECT_FALSE(std::filesystem::exists(other));
}

// A limit on the size of files stands for a full disk.
TYPED_TEST(StoreTest, SpaceIsTakenBeforeItIsUsed) {
  struct rlimit before {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 100000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string complaint =
      trouble([&] { MessageStore<TypeParam> store(10, 10000, this->path); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(complaint.find("cannot make the store " + this->path), std::string::npos) << complaint;
  EXPECT_NE(complaint.find(std::to_string(200000 * sizeof(TypeParam)) + " bytes"),
            std::string::npos)
      << complaint;
  EXPECT_EQ(this->folder.files(), 0U);
}

TYPED_TEST(StoreTest, AFileThatCannotBeMadeIsNamed) {
  const std::string nowhere = this->folder.file("missing/store");
  EXPECT_NE(trouble([&] { MessageStore<TypeParam> store(1, 1, nowhere); }).find(nowhere),
            std::string::npos);
}

TYPED_TEST(StoreTest, TooMuchIsRefused) {
  constexpr std::size_t kTooMany = std::size_t{1} << 58;
  for (const std::string& place : {std::string(), this->path}) {
    const std::string complaint =
        trouble([&] { MessageStore<TypeParam> store(1, kTooMany / sizeof(TypeParam), place); });
    EXPECT_EQ(complaint.substr(0, 7), "cannot ") << complaint;
  }
  EXPECT_EQ(this->folder.files(), 0U) << "nothing is left behind";
}

}  // namespace
}  // namespace postrider::network
