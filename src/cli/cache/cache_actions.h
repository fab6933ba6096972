// The actions of `vyre cache`, each with its words checked.
#pragma once

#include "vyre/cli/cache/cache.h"

namespace vyre {

Exit cache_list(const CacheOptions& options, Streams& streams);
Exit cache_show(const CacheOptions& options, Streams& streams);
Exit cache_explain(const CacheOptions& options, Streams& streams);

Exit cache_diff(const CacheOptions& options, Streams& streams);
Exit cache_merge(const CacheOptions& options, Streams& streams);
Exit cache_export(const CacheOptions& options, Streams& streams);
Exit cache_import(const CacheOptions& options, Streams& streams);

Exit cache_pin(const CacheOptions& options, Streams& streams);
Exit cache_unpin(const CacheOptions& options, Streams& streams);
Exit cache_clear(const CacheOptions& options, Streams& streams);
Exit cache_clear_code(const CacheOptions& options, Streams& streams);

}  // namespace vyre
