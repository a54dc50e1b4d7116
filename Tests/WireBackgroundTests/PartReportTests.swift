import Dispatch
import Glibc
import Testing
import WireBase
import WireConfig
import WireService
import Workbench

@testable import WireBackground

@Suite("Reports of the parts of a service")
struct PartReportTests {
    private let bench: Workbench
    private let host: BackgroundHost

    init() throws {
        bench = try Workbench()
        let text = "version: 1\napp: { id: com.example.tasks }\nbackground: {}\n"
        host = bench.host(for: try SectionInFile<BackgroundSection>(file: text))
    }

    @Test("of two reports at the same time, the one that is decided last is sent last")
    func order() async {
        let part = PartReports().host(of: 0, in: host)
        let (begun, ended) = (OneShot(), OneShot())
        part.report {
            // A thread of its own: this one waits for it.
            DispatchQueue(label: "later").async {
                begun.fire()
                part.report(.well)
                ended.fire()
            }
            // Time for the other report to be sent first, if it could be.
            while !begun.hasFired { sched_yield() }
            for _ in 0..<10_000 { sched_yield() }
            return .degraded(Fault("earlier"))
        }
        await ended.wait()
        #expect(bench.told.all == ["degraded: earlier", "well"])
    }

    @Test("a part that is well does not hide another one, and the first part comes first")
    func combined() {
        let reports = PartReports()
        let (first, second) = (reports.host(of: 0, in: host), reports.host(of: 1, in: host))
        second.report(.degraded(Fault("second")))
        first.report(.degraded(Fault("first")))
        first.report(.well)
        second.report(.well)
        #expect(bench.told.all == ["degraded: second", "degraded: first", "degraded: second", "well"])
    }
}
