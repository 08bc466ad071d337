import type { Locator } from 'playwright-core'

/**
 * Where an element is once it has stopped moving: a list follows what arrives, and what opens below it. The box is of
 * the last of ten frames in which nothing moved: measured by a second call it might be another one by then.
 */
export async function readRestingBox(target: Locator) {
  // It is in sight, and nothing lies over it.
  await target.click({ trial: true })
  return target.evaluate(async (element) => {
    const read = () => {
      const { x, y, width, height } = element.getBoundingClientRect()
      return { x, y, width, height }
    }
    let box = read()
    for (let still = 0; still < 10; ) {
      await new Promise(requestAnimationFrame)
      const now = read()
      still = now.x === box.x && now.y === box.y && now.height === box.height ? still + 1 : 0
      box = now
    }
    return box
  })
}
