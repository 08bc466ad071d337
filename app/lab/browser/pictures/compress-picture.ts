import { readFile, writeFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

const quality = 0.8

/** Converts a PNG file to WebP in the browser. */
export async function compressPicture(page: Page, { from, to }: { from: string; to: string }) {
  const source = `data:image/png;base64,${(await readFile(from)).toString('base64')}`
  const picture = await page.evaluate(
    async ({ source, quality }) => {
      const image = new Image()
      image.src = source
      await image.decode()
      const canvas = new OffscreenCanvas(image.width, image.height)
      canvas.getContext('2d')?.drawImage(image, 0, 0)
      const blob = await canvas.convertToBlob({ type: 'image/webp', quality })
      return [...new Uint8Array(await blob.arrayBuffer())]
    },
    { source, quality },
  )
  await writeFile(to, Uint8Array.from(picture))
}
