// SPDX-License-Identifier: GPL-3.0-or-later
// Work that may wait for disks and programs, one piece after the other on a thread of its own. Results come back to the
// thread that owns the object; those of an older generation are dropped.
#pragma once

#include <QObject>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace holdfast::desktop {

class Jobs : public QObject {
    Q_OBJECT
public:
    explicit Jobs(QObject* parent = nullptr);
    /// Waits until everything that was asked for is done: a decision that was given is not lost.
    ~Jobs() override;

    /// From now on the results of what was asked for until now are dropped; the work itself is done.
    void next_generation() { ++generation_; }

    /// `work()` on the thread, then `done(result)` here.
    template <class Work, class Done> void run(Work work, Done done) {
        ++pending_;
        push([this, generation = generation_, work = std::move(work), done = std::move(done)]() mutable {
            deliver(generation, [result = std::make_shared<decltype(work())>(work()),
                                 done = std::move(done)]() mutable { done(std::move(*result)); });
        });
    }

    bool idle() const { return pending_ == 0; }

signals:
    void became_idle();

private:
    void push(std::function<void()> job);
    void deliver(quint64 generation, std::function<void()> done);
    void work();

    quint64 generation_ = 0;
    int pending_ = 0;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> jobs_;
    bool ending_ = false;
    std::thread thread_; ///< last: it uses the others
};

} // namespace holdfast::desktop
