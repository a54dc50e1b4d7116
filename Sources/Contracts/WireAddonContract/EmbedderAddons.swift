import WireConfig
package import WireService

/// The add-ons in code of the embedding program, in order of registration.
package final class EmbedderAddons: Sendable {
    package let all: [any AddonCode]

    package init(_ all: [any AddonCode] = []) { self.all = all }
}

/// An add-on in code.
///
/// Notices and questions are delivered one at a time, in order; an add-on that hangs gets no questions until it
/// continues.
package protocol AddonCode: Sendable {
    var name: String { get }
    /// Whether the runner fails to start without the add-on.
    var isRequired: Bool { get }
    /// The timeout of a reply.
    var timeout: Duration { get }
    var listens: AddonPoints { get }
    /// The questions it answers.
    var answers: AddonPoints { get }
    func setUp() async throws
    /// Called once all add-ons are set up.
    func startUp() async throws
    func handle(_ moment: AddonMoment) async
    /// Returns a reply; nil or an error changes nothing.
    func reply(to question: AddonQuestion) async throws -> AddonReply?
}

extension Ability where Value == EmbedderAddons {
    package static var broughtAddons: Ability<EmbedderAddons> { Ability(Provision(.runner, "brought addons")) }
}
