/// Whether something becomes so: asked again and again, until any machine would have got that far.
package func eventually(_ isSo: () async throws -> Bool) async rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    var looks = 0
    repeat {
        if try await isSo() { return true }
        looks += 1
        // What other tasks of this process do takes no time; what another process does, some.
        if looks < 20 { await Task.yield() } else { await breath() }
    } while ContinuousClock.now < end
    return false
}

/// A moment between two looks at something that is waited for: another process may need the processor to get there.
package func breath() async {
    try? await Task.sleep(for: .milliseconds(1))
}
