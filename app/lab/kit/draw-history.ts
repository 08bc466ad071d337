import { createRandom } from './random.ts'

/**
 * One event of a history. Devices and choices are numbers, taken modulo: any part of a history is a
 * history.
 */
export interface Step<Name extends string = string> {
  do: Name
  device: number
  pick: number
}

/**
 * Draws a history of the given length, deterministic per seed.
 * @param options.weights each event's relative frequency
 */
export function drawHistory<Name extends string>(options: {
  seed: number
  steps: number
  weights: Readonly<Partial<Record<Name, number>>>
}): Step<Name>[] {
  const random = createRandom(options.seed)
  const weighed = Object.entries(options.weights) as [Name, number][]
  const [first] = weighed
  if (!first) throw new Error('A history needs something that can happen.')
  const total = weighed.reduce((sum, [, weight]) => sum + weight, 0)

  const drawName = (): Name => {
    let left = random() * total
    for (const [name, weight] of weighed) {
      left -= weight
      if (left < 0) return name
    }
    return first[0]
  }

  return Array.from({ length: options.steps }, () => {
    const device = Math.floor(random() * 1_000)
    const pick = Math.floor(random() * 1_000)
    return { do: drawName(), device, pick }
  })
}
