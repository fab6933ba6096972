#include "vyre/plan/specification/feedback_store.h"

#include <gtest/gtest.h>

#include "vyre/base/files/temporary_folder_testing.h"

namespace vyre {
namespace {

TEST(FeedbackStoreTest, NotesWhatIsNewAndCanBeWritten) {
  const TemporaryFolder folder;
  FeedbackStore store(folder.path() / "decisions.toml", 16);
  EXPECT_TRUE(store.note("launch-1", {64, 1, 1}));
  store.save();
  EXPECT_FALSE(store.note("launch-1", {64, 1, 1})) << "it is in the file";
  EXPECT_TRUE(store.note("launch-1", {32, 1, 1}));
  EXPECT_FALSE(store.note("launch-1", {0, 1, 1})) << "a workgroup has no empty axis";
  EXPECT_FALSE(store.note("\xff", {64, 1, 1})) << "keys are UTF-8";
  store.save();
  EXPECT_EQ(store.find("launch-1"), (Extent{32, 1, 1}));
}

}  // namespace
}  // namespace vyre
