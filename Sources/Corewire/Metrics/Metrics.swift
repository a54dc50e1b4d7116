import WireHTTP
import WireMetrics
import WireMetricsContract

extension Corewire {
    /// What the metrics service is told: the section `metrics`, as the local API has it.
    ///
    /// Always answered by the generation that runs, so it stays good over reloads and switches of the environment.
    public var metrics: Metrics { Metrics(corewire: self) }

    /// Metrics, and who takes them.
    ///
    /// ```swift
    /// let publisher = corewire.metrics.publish { message in try await queue.put(message.json) }
    /// try await corewire.metrics.send()
    /// ```
    ///
    /// Who holds it holds ``Corewire`` as well.
    public struct Metrics: Sendable {
        let corewire: Corewire

        /// What is sent.
        public enum Kind: String, Sendable {
            /// That the app runs.
            case initial = "init"
            /// What security rules came to.
            case security
        }

        /// Takes messages instead of the server of the file, for as long as the answer is kept.
        ///
        /// Messages wait on the disk until the work returns; where it throws, they come again. The start's own message may
        /// have been sent by then: ``Corewire/Configuration/publisher`` takes that as well.
        public func publish(_ work: @escaping @Sendable (MetricsMessage) async throws -> Void) -> MetricsPublishing {
            MetricsPublishing({ try await work(MetricsMessage($0)) }, in: corewire.publisher)
        }

        /// What would be sent now; nothing is.
        @concurrent
        public func preview() async throws(CorewireError) -> [MetricsMessage] {
            let preview = try await corewire.perform(MetricsCalls.preview, NoInput(), in: .metrics)
            return preview.messages.map(MetricsMessage.init)
        }

        /// Has messages sent now, of all kinds the file names where nil; returns when they are on the disk.
        @concurrent
        public func send(_ kind: Kind? = nil) async throws(CorewireError) {
            let kind = kind.flatMap { WireMetricsContract.MetricsMessage.Kind(rawValue: $0.rawValue) }
            do throws(CorewireError) {
                _ = try await corewire.perform(
                    MetricsCalls.send,
                    MetricsSendRequest(kind),
                    in: .metrics
                )
            } catch {
                // Without results of rules there is nothing to send.
                guard error.code == .noResults else { throw error }
            }
        }
    }

    /// Code that takes metrics, for as long as this is kept.
    public final class MetricsPublishing: Sendable {
        private let ticket: Int
        private let publisher: BroughtPublisher

        init(_ work: @escaping BroughtPublisher.Work, in publisher: BroughtPublisher) {
            self.publisher = publisher
            ticket = publisher.bring(work)
        }

        deinit { publisher.take(ticket) }
    }
}

extension Area {
    static let metrics = Area(
        section: MetricsSection.name,
        help: "add the section 'metrics' with the 'url' of a metrics service"
    )
}
