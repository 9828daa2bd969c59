// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/jobs.hpp"

namespace holdfast::desktop {

Jobs::Jobs(QObject* parent) : QObject(parent), thread_([this] { work(); }) {}

Jobs::~Jobs() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void Jobs::push(std::function<void()> job) {
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
}

void Jobs::deliver(quint64 generation, std::function<void()> done) {
    QMetaObject::invokeMethod(
        this,
        [this, generation, done = std::move(done)] {
            --pending_;
            if (generation == generation_)
                done();
            if (idle())
                emit became_idle();
        },
        Qt::QueuedConnection);
}

void Jobs::work() {
    for (;;) {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
        if (jobs_.empty())
            return;
        const std::function<void()> job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        job();
    }
}

} // namespace holdfast::desktop
