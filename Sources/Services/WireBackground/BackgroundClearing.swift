import WireBase
import WireConfig
import WireService

/// Removes queued requests, results of tasks and downloaded files.
///
/// All work ends before the removal: a task may request a download, and both may post requests.
struct BackgroundClearing: Clearing {
    let parts: [any BackgroundPart]

    var turn: ClearingTurn { .queue }

    func pause(_ scope: ClearingScope) async {
        await withDiscardingTaskGroup { group in
            for part in parts { group.addTask { await part.pause(scope) } }
        }
    }

    func clear(_ scope: ClearingScope, with eraser: Eraser) async throws(Fault) -> [Cleared] {
        var removed: [Cleared] = []
        // Parts that create work are cleared first, and the outbox last.
        for part in parts.reversed() { removed += try await part.clear(scope, with: eraser) }
        return removed
    }

    func resume() async {
        for part in parts { await part.resume() }
    }
}
