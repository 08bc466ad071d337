import { fileURLToPath } from 'node:url'
import type { JSHandle, Page } from 'playwright-core'
import { build } from 'vite'
import { launchProfile } from '../browser/launch-profile.ts'
import type { Figure } from './figures/figure.ts'
import { takePercentile } from './figures/take-percentile.ts'
import type { SearchPageUnderTest } from './page/search-page.ts'
import type { Queries } from './page/writer.ts'

const [messageCount, catchUpCount, queriesEach] = [100_000, 10_000, 50]
const origin = 'http://petrel.localhost'
const target = { atMost: 50 }

const words: Record<keyof Queries, string> = {
  oneLetter: 'one letter',
  twoLetters: 'two letters',
  threeLetters: 'three letters',
  twoWords: 'two words',
  rareWord: 'a rare word',
  noSuchWord: 'a word that nobody wrote',
}

/** How long a search over the whole device takes, and what maintaining its index costs. */
export async function measure(): Promise<Figure[]> {
  const profile = await launchProfile()
  const page = await profile.context.newPage()
  const bench = await openBench(page)
  await bench.evaluate((bench, count) => bench.receive(count), messageCount)
  const heapBefore = await measureHeap(page)
  const built = await bench.evaluate((bench) => bench.build())
  const heapGrowth = (await measureHeap(page)) - heapBefore
  const figures: Figure[] = [
    { what: 'search index of 100,000 messages, built', value: built.took, unit: 'ms' },
    { what: 'the page stands still meanwhile', value: built.longestBlock, unit: 'ms', target },
    { what: 'disk that the search index takes', value: built.disk / 1_024, unit: 'kB' },
    { what: 'memory that the search index keeps', value: heapGrowth / 1_024, unit: 'kB' },
  ]
  const queries = await bench.evaluate((bench, count) => bench.listQueries(count), queriesEach)
  for (const [kind, texts] of Object.entries(queries)) {
    const what = `search for ${words[kind as keyof Queries]}`
    figures.push(...(await measureSearch({ bench, what, texts })))
  }
  const inOne = { bench, isWithinOne: true }
  figures.push(
    ...(await measureSearch({
      ...inOne,
      what: 'one letter, one person',
      texts: queries.oneLetter,
    })),
    ...(await measureSearch({ ...inOne, what: 'two words, one person', texts: queries.twoWords })),
  )
  const caughtUp = await bench.evaluate((bench, count) => bench.catchUp(count), catchUpCount)
  const reopened = await bench.evaluate((bench) => bench.reopen())
  await profile.close()
  return [
    ...figures,
    { what: '10,000 more are stored → all can be found', value: caughtUp, unit: 'ms' },
    { what: 'search index opened again', value: reopened, unit: 'ms' },
  ]
}

async function measureSearch(options: {
  bench: JSHandle<SearchPageUnderTest>
  what: string
  texts: string[]
  isWithinOne?: boolean
}): Promise<Figure[]> {
  const { bench, what, texts, isWithinOne } = options
  const took = await bench.evaluate(
    (bench, { texts, isWithinOne }) => bench.search(texts, isWithinOne),
    { texts, isWithinOne },
  )
  return [
    { what: `${what}, median`, value: takePercentile(took, 0.5), unit: 'ms', target },
    { what: `${what}, slowest of ${queriesEach}`, value: Math.max(...took), unit: 'ms', target },
  ]
}

async function measureHeap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}

/** The code under test, built like the app, in an otherwise empty page. */
async function openBench(page: Page): Promise<JSHandle<SearchPageUnderTest>> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    mode: 'production',
    build: {
      write: false,
      target: 'es2022',
      rollupOptions: { input: fileURLToPath(new URL('./page/search-page.ts', import.meta.url)) },
    },
  })
  const outputs = [result].flat().flatMap((built) => ('output' in built ? built.output : []))
  const code = outputs.flatMap((part) => (part.type === 'chunk' && part.isEntry ? part.code : []))
  await page.route(`${origin}/**`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Search</title>' }),
  )
  await page.goto(origin)
  await page.addScriptTag({ type: 'module', content: code.join('\n') })
  return page.evaluateHandle(() =>
    (globalThis as unknown as { openSearchPage(): Promise<SearchPageUnderTest> }).openSearchPage(),
  )
}
