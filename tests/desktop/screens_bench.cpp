// SPDX-License-Identifier: GPL-3.0-or-later
// How long the heavy pages take to show, each beside a small one in the same run: machines differ, ratios less so.
// screens_bench [REPEATS]
#include "app/desktop/review_screen.hpp"
#include "app/desktop/theme.hpp"
#include "app/desktop/trials_screen.hpp"
#include "tests/desktop/sample_history.hpp"
#include "tests/desktop/sheets.hpp"

#include <QApplication>
#include <QElapsedTimer>
#include <QPixmap>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

using namespace holdfast;

namespace {

/// Median milliseconds of `act`, the first call left out.
double median_ms(int repeats, const std::function<void()>& act) {
    act();
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) {
        QElapsedTimer timer;
        timer.start();
        act();
        times.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
    return times[static_cast<std::size_t>(repeats / 2)];
}

} // namespace

int main(int argc, char** argv) {
    const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 10;
    const QTemporaryDir home;
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("HOME", home.path().toUtf8());
    QApplication application(argc, argv);
    desktop::apply_theme(application, desktop::ThemeChoice::light);

    desktop::ReviewScreen review;
    review.resize(1280, 800);
    review.show();
    const test::Shown small = test::good(), workloads = test::many(20, 60);
    test::Shown long_diff = test::good(), long_log = test::good();
    long_diff.sheet->files = {test::changed_file("src/scan.cpp", 7500)}; // 2,500 lines away, 2,500 new
    long_log.sheet->gates.front().log = std::string(10 << 20, 'x');
    for (std::size_t at = 99; at < long_log.sheet->gates.front().log.size(); at += 100)
        long_log.sheet->gates.front().log[at] = '\n';
    const auto shown = [&](const test::Shown& one) {
        return median_ms(repeats, [&] {
            review.clear(); // the same trial shown twice would be left as it is
            review.show_dossier(one.dossier, one.sheet, true);
            review.grab();
        });
    };
    const double base = shown(small);
    std::printf("review, six workloads and a short diff: %.1f ms\n", base);
    const auto report = [&](const char* what, double ms) {
        std::printf("%s: %.1f ms, ratio %.2f\n", what, ms, ms / base);
    };
    report("review, 20 workloads of 60 rounds", shown(workloads));
    report("review, a diff of 5,000 lines", shown(long_diff));
    report("review, a log of 10 MB", shown(long_log));

    desktop::TrialsScreen trials;
    trials.resize(1280, 800);
    trials.show();
    const app::Overview history = test::long_history(5000);
    report("trials, 5,000 of them read anew", median_ms(repeats, [&] {
               trials.set_overview({});
               trials.set_overview(history);
               trials.grab();
           }));
    report("trials, 5,000 of them brought up to date", median_ms(repeats, [&] {
               trials.set_overview(history);
               trials.grab();
           }));
}
