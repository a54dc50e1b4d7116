import Synchronization
import WireBase
import WireConfig
import WireService
import WireStore

/// Removes results of runs and requested runs; the schedule itself is in the file.
extension TaskScheduler {
    func pause(_ scope: ClearingScope) async {
        let running = state.withLock { state in
            state.clearings += 1
            return Array(state.running.values)
        }
        for run in running { run.end(.cancelled) }
        changes.signal()
        await rest()
    }

    func resume() async {
        state.withLock { $0.clearings = max(0, $0.clearings - 1) }
        changes.signal()
    }

    func clear(_ scope: ClearingScope, with eraser: Eraser) async throws(Fault) -> [Cleared] {
        var count = 0
        for repository in repositories {
            let eraser = repository.isLocal ? eraser : eraser.of(.tasks)
            await eraser.attempt { () async throws(StoreFailure) in
                switch scope {
                case .user: count += try await repository.forgetResults(with: eraser)
                case .environment:
                    count += try await eraser.clear(TaskRepository.namespace, keysBeginning: "\(repository.scope)/")
                case .all: count += try await eraser.clear(TaskRepository.namespace)
                }
            }
        }
        if !eraser.isDryRun { state.withLock { $0.records = [:] } }
        return [Cleared("results of tasks", count)]
    }
}

extension TaskRepository {
    /// Only the start of the period stays, so that no task runs more often than declared.
    func forgetResults(with eraser: Eraser) async throws(StoreFailure) -> Int {
        var count = 0
        try await records.eachName { name throws(StoreFailure) in
            guard let record = try await records.read(name)?.record, record.withoutResults != record else { return }
            count += 1
            if !eraser.isDryRun { try await records.edit(name) { record in record = record?.withoutResults } }
        }
        return count
    }
}

extension TaskRecord {
    /// The record without results and requested runs.
    fileprivate var withoutResults: TaskRecord {
        var record = self
        // Runs of other processes are to end as well.
        if begun != nil { record.unwanted = runs }
        record.served = max(served, requestedRun?.number ?? 0)
        (record.last, record.lastSuccess, record.requestedRun, record.retry, record.failures) = (nil, nil, nil, nil, 0)
        return record
    }
}
