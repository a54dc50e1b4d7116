/// Returns when the first of several waits has ended, and cancels the others.
package func firstOf(_ waits: [@Sendable () async -> Void]) async {
    await withTaskGroup { race in
        for wait in waits { race.addTask { await wait() } }
        await race.next()
        race.cancelAll()
    }
}

extension TimeSource {
    /// Returns when a wait has ended, or after a monotonic limit where one is given.
    func wait(atMost limit: Duration?, for wait: @escaping @Sendable () async -> Void) async {
        guard let limit else { return await wait() }
        await firstOf([wait, { try? await self.sleep(limit) }])
    }
}
