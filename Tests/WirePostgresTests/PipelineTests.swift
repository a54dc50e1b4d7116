import Testing

@testable import WirePostgres

@Suite("Batches that were sent")
struct PipelineTests {
    @Test(
        "an answer of 64 MiB may arrive long after its time at 4 KiB a second, and is late at 3 KiB",
        arguments: [(4 << 10, true), (3 << 10, false)]
    )
    func slow(rate: Int, mayArrive: Bool) {
        var pipeline = PostgresPipeline()
        let second: UInt64 = 1_000_000_000
        pipeline.add(PostgresBatch(ticket: 1, [PostgresStatement("SELECT 1")], due: second) { _ in })
        pipeline.note(.batches, taking: 1)
        let isInTime = stride(from: second, through: second * (16 << 10), by: Int(second)).allSatisfy { now in
            pipeline.noteMovement(of: rate, at: now)
            return pipeline.pass(now, away: PostgresFailure(.away, "no answer"))
        }
        #expect(isInTime == mayArrive)
    }
}
