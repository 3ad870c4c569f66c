// What a program holds of a session and does not give back: it ends with the session, whose memory
// goes. The object itself stays, so that a later use of it is told from a right one.
#pragma once

namespace isthmus {

class SessionObject {
  public:
    SessionObject(const SessionObject&) = delete;
    SessionObject& operator=(const SessionObject&) = delete;
    // At the end of a session, by the thread that closes it.
    static void end_all();

  protected:
    SessionObject();
    ~SessionObject();
    bool ended() const { return ended_; }
    // The session's memory is not to be touched after it.
    virtual void end() = 0;

  private:
    bool ended_ = false;
};

}  // namespace isthmus
