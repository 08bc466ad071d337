import type { Level } from '../level/level-store.ts'

/** For tests: counts LevelDB reads, one for each key with its value. */
export function countingReads() {
  const counted = { reads: 0 }

  function wrap(level: Level): Level {
    return new Proxy(level, {
      get(target, name) {
        const member = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        return (...given: unknown[]) => {
          const answer = Reflect.apply(member, target, given)
          if (name === 'get' || name === 'getSync') counted.reads += 1
          if (name === 'getMany' && Array.isArray(given[0])) counted.reads += given[0].length
          return name === 'iterator' ? countNexts(answer) : answer
        }
      },
    })
  }

  function countPage(entries: readonly unknown[]) {
    counted.reads += Math.max(entries.length, 1)
  }

  function countNexts(iterator: unknown): unknown {
    if (typeof iterator !== 'object' || iterator === null) return iterator
    return new Proxy(iterator, {
      get(target, name) {
        const member = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        return (...given: unknown[]) => {
          const answer = Reflect.apply(member, target, given)
          if (name === 'next') counted.reads += 1
          if (name === 'nextv')
            Promise.resolve(answer as unknown[]).then(countPage, () => undefined)
          return answer
        }
      },
    })
  }

  return { wrap, count: () => counted.reads }
}
