// Whether the hosts of a job can be reached, before anything is started there: a misspelt name is
// told by its name and at once, and a host that is down or silent does not hold the launcher up.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launch/hosts.hpp"

namespace isthmus::launch {

// Where a remote shell goes for a host, as its own configuration says.
struct Way {
    std::string name;  // what is looked up
    std::string port = "22";
    bool by_another = false;  // through a jump host or a command: nothing can be said from here
};

// What `ssh -G HOST` prints; without it the host's own name.
Way way_to(const std::string& host, const std::string& configuration);

// Tries all at once. For each host that cannot be reached a line that says why: no such name, no
// answer within `seconds`, a refusal, or a server that says nothing for as long: remote shells, and
// other launchers behind them, would wait for it without end. This machine may refuse.
// `configuration`: what the remote shell has to say of a host. `login`: asked last, of other
// machines: why nobody can log in there; empty if one can, and may be missing.
using AskOfHost = std::function<std::string(const std::string& host)>;
std::vector<std::string> unreachable(const std::vector<HostShare>& hosts, double seconds,
                                     const AskOfHost& configuration, const AskOfHost& login = {});

// The address of this machine by which all those of the hosts that are other machines find it, as
// the routes to them say; empty if that cannot be said: there is none, or not one for all, it is of
// IPv6, or a host is reached by another one or not known within `seconds`.
std::string address_for(const std::vector<HostShare>& hosts, double seconds,
                        const AskOfHost& configuration);

// Asks another machine whether it knows `name`, and, of the command's status there, why the other
// launcher cannot be called back by it; empty if it can, or if nothing there answers that.
std::vector<std::string> ask_for_name(const std::string& name);
std::string why_no_way_back(int status, const std::string& name);

// A port at which this machine takes connections, of any address, for as long as it lives.
class OpenPort {
  public:
    OpenPort();
    ~OpenPort();
    OpenPort(const OpenPort&) = delete;
    OpenPort& operator=(const OpenPort&) = delete;
    int number() const { return number_; }  // 0: the system gives none

  private:
    int file_ = -1;
    int number_ = 0;
};

// Lets another machine connect to `place` (a name or an address) at that port, and says, of the
// command's status there, why the other launcher would wait without end for it; empty if it got
// through, or if nothing there can try.
std::vector<std::string> ask_to_connect(const std::string& place, int port);
std::string why_no_connection(int status, const std::string& place);

// What a remote shell that has not got in says last, as the reason; empty if it has got in.
std::string why_no_login(int status, const std::string& output, const std::string& host);

}  // namespace isthmus::launch
