import CorewireCLI
import WireBase

// The C library's buffers and locale stay as they are: all output goes through one place, and leaves in one write.
Console.holdStandardStreams()
let words = Arguments.words
switch await Program.run(words) {
case .ended(let status): Console.exit(with: status)
case .isRunners: Console.exit(with: RunnerProgram.takeOver(words))
}
