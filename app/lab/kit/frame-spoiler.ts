/** Randomly loses, doubles, delays or truncates the frames of one way of a socket. */
export function createFrameSpoiler({ random }: { random: () => number }) {
  const late: string[] = []

  return function spoil(frame: string, give: (text: string) => void): void {
    const chance = random()
    if (chance < 0.1) return
    if (chance < 0.2) {
      late.push(frame)
      return
    }
    if (chance < 0.3) {
      give(frame.slice(0, frame.length / 2))
      return
    }
    if (chance < 0.4) give(frame)
    give(frame)
    for (const text of late.splice(0)) give(text)
  }
}
