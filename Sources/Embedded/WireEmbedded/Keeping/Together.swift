extension Sequence where Self: Sendable, Element: Sendable {
    /// Does something for each of them, many at a time, so that a disk that confirms many at once is not kept waiting.
    func together(_ work: @escaping @Sendable (Element) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var running = 0
            for element in self {
                if running == 128 {
                    _ = try await group.next()
                    running -= 1
                }
                group.addTask { try await work(element) }
                running += 1
            }
            try await group.waitForAll()
        }
    }
}
