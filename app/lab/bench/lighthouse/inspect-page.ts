/** Lighthouse's best-practice checks of the document itself. Runs in the page; self-contained. */
export function inspectPage() {
  const legibleMinPx = 12
  const legibleShare = 0.6
  const images = [...document.images].filter((image) => image.naturalWidth > 0 && image.width > 0)
  const fields = [...document.querySelectorAll<HTMLElement>('input, textarea')]

  function isInProportion(image: HTMLImageElement): boolean {
    if (getComputedStyle(image).objectFit !== 'fill') return true
    const shown = image.width / image.height
    return Math.abs(shown - image.naturalWidth / image.naturalHeight) < 0.05 * shown
  }

  function isSharp(image: HTMLImageElement): boolean {
    return image.src.includes('svg') || image.naturalWidth >= image.width * devicePixelRatio * 0.75
  }

  function preventsPaste(field: HTMLElement): boolean {
    return !field.dispatchEvent(new ClipboardEvent('paste', { cancelable: true, bubbles: true }))
  }

  function measureLegibleShare(): number {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const letters = { all: 0, legible: 0 }
    while (texts.nextNode()) {
      const parent = texts.currentNode.parentElement
      const count = texts.currentNode.textContent?.trim().length ?? 0
      if (!parent?.checkVisibility()) continue
      letters.all += count
      if (Number.parseFloat(getComputedStyle(parent).fontSize) >= legibleMinPx) {
        letters.legible += count
      }
    }
    return letters.all === 0 ? 1 : letters.legible / letters.all
  }

  return {
    doctype: document.doctype?.name === 'html' && document.compatMode === 'CSS1Compat',
    charset: document.characterSet === 'UTF-8',
    viewport: document.querySelector('meta[name=viewport][content*=width]') !== null,
    'font-size': measureLegibleShare() >= legibleShare,
    'image-aspect-ratio': images.every(isInProportion),
    'image-size-responsive': images.every(isSharp),
    'paste-preventing-inputs': !fields.some(preventsPaste),
  }
}
