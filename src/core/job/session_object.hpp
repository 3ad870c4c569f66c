// What a program holds of a session and does not give back: it ends with the session, whose memory
// goes. The object itself stays, so that a later use of it is told from a right one.
#pragma once

namespace isthmus {

class SessionObject {
  public:
    SessionObject(const SessionObject&) = delete;
    SessionObject& operator=(const SessionObject&) = delete;
    // At the end of a session, by the thread that closes it; and in a forked child, which has none.
    static void end_all();
    // Around a fork: none comes or goes between the two.
    static void hold_all();
    static void let_all_go();

  protected:
    SessionObject() = default;
    ~SessionObject() = default;
    // The last thing that a constructor does, and the first of a destructor: what is in the list
    // may be ended at any time.
    void enlist();
    void delist();
    bool ended() const { return ended_; }
    // The session's memory is not to be touched after it.
    virtual void end() = 0;

  private:
    // Of all there are, ended ones too; a list of their own, for they may outlive static objects.
    SessionObject* next_ = nullptr;
    SessionObject* previous_ = nullptr;
    bool ended_ = false;
};

}  // namespace isthmus
