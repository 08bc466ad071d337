// Renders the PNG icons from their SVG sources: run it after changing one.
import { readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { ensureChromium } from './ensure-chromium.mjs'
import { top } from './project.mjs'

const folder = `${top}public/icons/`
const icons = [
  { source: 'petrel.svg', size: 192, target: 'icon-192.png' },
  { source: 'petrel.svg', size: 512, target: 'icon-512.png' },
  { source: 'petrel-full-bleed.svg', size: 512, target: 'icon-maskable-512.png' },
  { source: 'petrel-full-bleed.svg', size: 180, target: 'apple-touch-icon.png' },
]

const browser = await chromium.launch({
  executablePath: await ensureChromium(),
  args: ['--no-sandbox', '--disable-gpu'],
})
for (const { source, size, target } of icons) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  const svg = readFileSync(folder + source, 'utf8')
  await page.setContent(`<style>body{margin:0}svg{display:block}</style>${svg}`)
  await page.screenshot({ path: folder + target, omitBackground: true })
  await page.close()
}
await browser.close()
