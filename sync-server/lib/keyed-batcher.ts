interface Waiting<Job, Result> {
  jobs: readonly Job[]
  resolve: (results: Result[]) => void
  reject: (error: unknown) => void
}

const mostJobsAtOnce = 1000

/**
 * Runs the work of each key one batch at a time; jobs added meanwhile join the next batch.
 * @param work runs a batch and returns one result for each job, in order
 */
export function createKeyedBatcher<Job, Result>(
  work: (key: string, jobs: readonly Job[]) => Promise<Result[]>,
) {
  const waiting = new Map<string, Waiting<Job, Result>[]>()

  async function run(key: string, queue: Waiting<Job, Result>[]) {
    while (queue.length > 0) {
      const batch = takeBatch(queue)
      try {
        const results = await work(
          key,
          batch.flatMap(({ jobs }) => jobs),
        )
        let from = 0
        for (const { jobs, resolve } of batch) {
          resolve(results.slice(from, from + jobs.length))
          from += jobs.length
        }
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    waiting.delete(key)
  }

  return {
    /** Resolves with the results of these jobs; rejects when their batch does. */
    add(key: string, jobs: readonly Job[]): Promise<Result[]> {
      return new Promise((resolve, reject) => {
        const queue = waiting.get(key)
        if (queue) {
          queue.push({ jobs, resolve, reject })
          return
        }
        const own = [{ jobs, resolve, reject }]
        waiting.set(key, own)
        run(key, own).catch(reject)
      })
    },
    /** Resolves when no batch is running. */
    async settle(): Promise<void> {
      await Promise.all([...waiting.keys()].map((key) => this.add(key, []).catch(() => undefined)))
    },
  }
}

function takeBatch<Job, Result>(queue: Waiting<Job, Result>[]) {
  let count = 0
  const end = queue.findIndex(({ jobs }) => {
    count += jobs.length
    return count > mostJobsAtOnce
  })
  return queue.splice(0, end === -1 ? queue.length : Math.max(end, 1))
}
