import { RequestRefused } from '../request-refused.ts'

/** Each upload under way holds a few pieces of its file, so their number bounds the memory of all. */
const mostAtOnce = 64
const mostOfEach = 4

export type UploadGate = ReturnType<typeof createUploadGate>

/** Lets so many uploads in at once, of everybody and of each person. */
export function createUploadGate(limits = { atOnce: mostAtOnce, ofEach: mostOfEach }) {
  const underWay = new Map<string, number>()
  const state = { count: 0 }

  return {
    /**
     * Runs an upload.
     * @param key whose it is
     * @throws RequestRefused `too_many_uploads` or `busy`, before it is begun
     */
    async pass<Result>(key: string, upload: () => Promise<Result>): Promise<Result> {
      const ofKey = underWay.get(key) ?? 0
      if (ofKey >= limits.ofEach) throw new RequestRefused('too_many_uploads', comeAgain)
      if (state.count >= limits.atOnce) throw new RequestRefused('busy', comeAgain)
      underWay.set(key, ofKey + 1)
      state.count += 1
      try {
        return await upload()
      } finally {
        const left = (underWay.get(key) ?? 1) - 1
        if (left > 0) underWay.set(key, left)
        else underWay.delete(key)
        state.count -= 1
      }
    },
  }
}

const comeAgain = { headers: { 'retry-after': '5' } }
