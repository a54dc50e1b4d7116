import WireBase
import WireConfig
import WireService

/// Removes what waits and what was done: what tasks came to, files that were fetched, requests that must arrive.
///
/// Everything ends before anything is removed: a task may want a file, and either may post a request.
struct BackgroundClearing: Clearing {
    let parts: [any BackgroundPart]

    var turn: ClearingTurn { .queue }

    func pause(_ scope: ClearingScope) async {
        await withDiscardingTaskGroup { group in
            for part in parts { group.addTask { await part.pause(scope) } }
        }
    }

    func clear(_ scope: ClearingScope) async throws(Fault) -> [Cleared] {
        var removed: [Cleared] = []
        // Whoever makes work goes first, and the requests come last.
        for part in parts.reversed() { removed += try await part.clear(scope) }
        return removed
    }

    func resume() async {
        for part in parts { await part.resume() }
    }
}
