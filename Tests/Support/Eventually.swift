/// Whether something becomes so: asked again and again, until any machine would have got that far.
package func eventually(_ isSo: () async throws -> Bool) async rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    repeat {
        for _ in 0..<100 {
            if try await isSo() { return true }
            await Task.yield()
        }
        await breath()
    } while ContinuousClock.now < end
    return false
}

/// A moment between two looks at something that is waited for: another process may need the processor to get there.
package func breath() async {
    try? await Task.sleep(for: .milliseconds(1))
}
