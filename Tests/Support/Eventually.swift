/// Whether something becomes so: asked again and again, until any machine would have got that far.
package func eventually(_ isSo: () async throws -> Bool) async rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    repeat {
        for _ in 0..<100 {
            if try await isSo() { return true }
            await Task.yield()
        }
        // Whoever is waited for may be another process that needs the processor.
        try? await Task.sleep(for: .milliseconds(1))
    } while ContinuousClock.now < end
    return false
}
