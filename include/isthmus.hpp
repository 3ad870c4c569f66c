// The native interface in C++20: isthmus.h with types, lifetimes and views. Nothing but headers.
//
//   isthmus::job job;                       // joins; leaves at the end of the scope
//   isthmus::shared_array<double> x(1000);  // one array over all PEs; collective
//   x[17] = 4.0;                            // one put
//   double v = x[18];                       // one get
//   for (auto [i, element] : x.owned())     // this PE's part, as plain memory
//       element = double(i);
//
// | header          | what it has                                                              |
// |-----------------|--------------------------------------------------------------------------|
// | result.hpp      | status, result<T>, and which types may be moved                          |
// | event.hpp       | event, condition, wait_all, wait_any                                     |
// | job.hpp         | job, pe(), pes(), barrier(), symmetric memory                            |
// | pointer.hpp     | global_ptr<T>, global_ref<T>, element_ref<T>, global_atomic<T>, put, ... |
// | distribution.hpp| cyclic, block_cyclic<B>, blocked, indefinite, one_per_pe                 |
// | shared_array.hpp| shared_array<T, Distribution>                                            |
// | segment.hpp     | segment                                                                  |
// | view.hpp        | array_view<T, Rank>, remote_view<T, Rank>, and put and get between them  |
// | queue.hpp       | queue, message                                                           |
// | aggregator.hpp  | aggregator<T>                                                            |
// | gather.hpp      | gather<T>                                                                |
// | message.hpp     | message_handler, message_id, incoming, poll, message_lock                |
// | channel.hpp     | channel                                                                  |
//
// Errors. No function here throws. What has a place for a result returns a status, or a result<T>
// that holds a value or a status: test it, or call or_fail(), which ends the job with the sentence.
// What has no such place (a constructor, `x[i] = y`, a conversion) ends the job with the sentence.
// A handler that throws ends the program at the border to C, by std::terminate.
//
// Threads, ordering and cost are those of the C functions; every inlined access costs what
// shmem_p, shmem_g cost.
#ifndef ISTHMUS_HPP
#define ISTHMUS_HPP

#if __cplusplus < 202002L
#error "isthmus.hpp needs C++20 (-std=c++20); isthmus.h is for every standard"
#else

#include <isthmus.h>

#include <isthmus/cpp/aggregator.hpp>
#include <isthmus/cpp/channel.hpp>
#include <isthmus/cpp/distribution.hpp>
#include <isthmus/cpp/event.hpp>
#include <isthmus/cpp/gather.hpp>
#include <isthmus/cpp/job.hpp>
#include <isthmus/cpp/message.hpp>
#include <isthmus/cpp/pointer.hpp>
#include <isthmus/cpp/queue.hpp>
#include <isthmus/cpp/result.hpp>
#include <isthmus/cpp/segment.hpp>
#include <isthmus/cpp/shared_array.hpp>
#include <isthmus/cpp/view.hpp>

#endif
#endif
