import BuildFacts
import CorewireCLI
import WireBase

Release.identify(commit: unsafe String(cString: build_commit()), compiler: unsafe String(cString: build_compiler()))
// Leaves the C library's buffers and locale unchanged: the console collects all output and writes it at once.
Console.holdStandardStreams()
let words = Arguments.words
switch await Program.run(words) {
case .ended(let status): Console.exit(with: status)
case .runnerProgram: Console.exit(with: RunnerProgram.execRunner(words))
}
