/// Returns when the first of some waits has ended, and cancels the others.
package func firstOf(_ waits: [@Sendable () async -> Void]) async {
    await withTaskGroup { race in
        for wait in waits { race.addTask { await wait() } }
        await race.next()
        race.cancelAll()
    }
}

extension Clockwork {
    /// Returns when a wait has ended, at the latest after so much monotonic time; without a limit, only when it has ended.
    func wait(atMost limit: Duration?, for wait: @escaping @Sendable () async -> Void) async {
        guard let limit else { return await wait() }
        await firstOf([wait, { try? await self.sleep(limit) }])
    }
}
