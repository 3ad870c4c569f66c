// Puts and gets by number of the node, for all faces of GASNet, with the routine for messages; what
// programs inline has asked the window before.
#pragma once

#include "api/gasnet/face.hpp"
#include "core/reach/operation.hpp"

namespace isthmus::gasnet {

// What this thread issues without a handle as long as this lives gets one: handle().
class Apart {
  public:
    Apart();
    Apart(const Apart&) = delete;
    Apart& operator=(const Apart&) = delete;
    ~Apart();
    gasnet_handle_t handle(const char* routine) const;

  private:
    bool issued_before_;
};

namespace transfer {

// Of a put: what may be done with it before the operation is complete.
enum class Source : bool { free_on_return, in_use };

void put(gasnet_node_t node, void* dest, const void* src, std::size_t nbytes, const char* routine);
void put_nbi(gasnet_node_t node, void* dest, const void* src, std::size_t nbytes, Source source,
             const char* routine);
gasnet_handle_t put_nb(gasnet_node_t node, void* dest, const void* src, std::size_t nbytes,
                       Source source, const char* routine);
void get(void* dest, gasnet_node_t node, const void* src, std::size_t nbytes, const char* routine);
void get_nbi(void* dest, gasnet_node_t node, const void* src, std::size_t nbytes,
             const char* routine);
gasnet_handle_t get_nb(void* dest, gasnet_node_t node, const void* src, std::size_t nbytes,
                       const char* routine);

// Where the memory of the node is found here; nothing if only the road leads there. Ends the job if
// there is no such node, and in checked mode if the memory is not the node's segment.
operation::Target find(const void* address, std::size_t bytes, gasnet_node_t node,
                       const char* routine);
// This thread has issued something without a handle; and all it has issued to the node, as one.
void note_issued();
gasnet_handle_t handle_of_issued_to(gasnet_node_t node, const char* routine);

// Access regions. `begin` is the routine without which there is none.
void begin_region(const char* routine);
gasnet_handle_t end_region(const char* routine, const char* begin);
// Of what this thread has issued without a handle, outside of regions; both poll.
void wait_for_implicit(const char* routine);
int try_implicit(const char* routine);

}  // namespace transfer
}  // namespace isthmus::gasnet
