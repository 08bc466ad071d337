import type { Page } from 'playwright-core'

/** What one frame shows of the list of chats and of an open chat beside or over it. */
export interface Frame {
  /** Is the list of chats to be seen, or what lies over it whole? */
  hasList: boolean
  /** How much the pane of the chat is shifted and seen through; undefined while there is none. */
  pane: { leftPx: number; opacity: number } | undefined
  /** The same of a chat that is left. */
  leaving: { leftPx: number; articles: number } | undefined
  /** Messages, and those of them that are animated. */
  articles: number
  animated: number
  /** The id of the lowest message; undefined without any. */
  newest: string | undefined
  /** Pictures that are drawn blurred, and offers to download something. */
  blurs: number
  /** Those in the gallery that are drawn blurred. */
  blursOver: number
  wishes: number
}

/** Records what each frame shows from now on, until `take` is called once the screen holds still. */
export async function recordFrames(page: Page): Promise<{ take(): Promise<Frame[]> }> {
  await page.evaluate(() => {
    const frames: Frame[] = []
    Object.assign(globalThis, { shownFrames: frames })
    const isSeen = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    const count = (of: Iterable<Element>) => [...of].filter(isSeen).length
    const look = () => {
      const list = document.querySelector('[aria-label="Conversations"]')
      const pane = [...document.querySelectorAll('main')].findLast((main) => !main.contains(list))
      const chat = pane && getComputedStyle(pane).visibility === 'visible' ? pane : undefined
      const left = document.querySelector('[inert][aria-hidden]:not(:empty) article')
      const layer = left?.closest('[inert][aria-hidden]')
      const articles = [...(chat?.querySelectorAll('article') ?? [])].filter(isSeen)
      const ofChat = (selector: string) => count(chat?.querySelectorAll(selector) ?? [])
      frames.push({
        hasList: list !== null && isSeen(list),
        pane: chat && {
          leftPx: Math.round(new DOMMatrix(getComputedStyle(chat).transform).e),
          opacity: Number(getComputedStyle(chat).opacity),
        },
        leaving: layer
          ? {
              leftPx: Math.round(new DOMMatrix(getComputedStyle(layer).transform).e),
              articles: layer.querySelectorAll('article').length,
            }
          : undefined,
        articles: articles.length,
        newest: (articles.at(-1) as HTMLElement | undefined)?.dataset.messageId,
        animated: articles.filter((article) => article.getAnimations().length > 0).length,
        blurs: ofChat('button img[src^="data:image/"]'),
        blursOver: count(document.querySelectorAll('[role="dialog"] img[src^="data:image/"]')),
        wishes: ofChat('[class*="pill"], [class*="wish"]'),
      })
    }
    // A frame's result is readable once the frame is over.
    const channel = new MessageChannel()
    channel.port1.onmessage = look
    const follow = () => {
      channel.port2.postMessage(undefined)
      if (Reflect.get(globalThis, 'shownFrames') === frames) requestAnimationFrame(follow)
    }
    requestAnimationFrame(follow)
  })
  return {
    take: () =>
      page.evaluate(async () => {
        const frames: Frame[] = Reflect.get(globalThis, 'shownFrames')
        const isStill = () =>
          frames.slice(-8).every((frame) => JSON.stringify(frame) === JSON.stringify(frames.at(-1)))
        do await new Promise(requestAnimationFrame)
        while (frames.length < 12 || !isStill())
        Object.assign(globalThis, { shownFrames: undefined })
        return frames
      }),
  }
}
