/// Whether a condition becomes true: polled for long enough for any machine.
package func eventually(_ isSo: () async throws -> Bool) async rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    var looks = 0
    repeat {
        if try await isSo() { return true }
        looks += 1
        // Other tasks of this process need only a yield, other processes some time.
        if looks < 20 { await Task.yield() } else { await breath() }
    } while ContinuousClock.now < end
    return false
}

/// A pause between two polls, in which another process may get the processor.
package func breath() async {
    try? await Task.sleep(for: .milliseconds(1))
}
