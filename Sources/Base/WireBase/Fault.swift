/// What went wrong, in words, where no kinds of it need to be told apart.
package struct Fault: Error, Sendable, Hashable {
    /// In words; never a secret.
    package let reason: String
    /// What to do about it.
    package var help: String?
    /// The value of the services file that it comes from.
    package var origin: ValueOrigin?

    package init(_ reason: String, help: String? = nil, origin: ValueOrigin? = nil) {
        (self.reason, self.help, self.origin) = (reason, help, origin)
    }
}

extension Fault {
    /// The answer of a call, whose fault is rethrown after what it is about: `/x cannot be read: permission denied`.
    package static func rethrowing<Answer>(
        after words: @autoclosure () -> String,
        _ call: @autoclosure () throws(Fault) -> Answer
    ) throws(Fault) -> Answer {
        do throws(Fault) { return try call() } catch {
            throw Fault("\(words()): \(error.reason)", help: error.help, origin: error.origin)
        }
    }
}
