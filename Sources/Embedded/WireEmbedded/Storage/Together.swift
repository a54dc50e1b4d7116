extension Sequence where Self: Sendable, Element: Sendable {
    /// Performs work on the elements, many at a time, since a disk can confirm many writes at once.
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
