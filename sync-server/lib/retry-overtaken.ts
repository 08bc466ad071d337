/**
 * Repeats a try that reads, decides and writes, until nobody else's change came between.
 * @param tryOnce answers 'again' when it was overtaken; gets the number of the try, from 0
 * @param limit how many tries at most, and what to throw after the last
 */
export async function retryOvertaken<Result>(
  tryOnce: (round: number) => Promise<Result | 'again'>,
  limit: { tries: number; giveUp: () => Error },
): Promise<Result> {
  for (let round = 0; round < limit.tries; round += 1) {
    const result = await tryOnce(round)
    if (result !== 'again') return result
  }
  throw limit.giveUp()
}
