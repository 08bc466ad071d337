/** Pixels of the picture. */
export interface Size {
  width: number
  height: number
}

export type CropShape = 'square' | 'original'

/** Which part of a picture is kept. */
export interface Crop {
  shape: CropShape
  /** From 1, the largest part of this shape. */
  zoom: number
  /** The part's middle, each from 0 to 1 of the picture. */
  x: number
  y: number
}

export const maxZoom = 4

export const wholeCrop: Crop = { shape: 'square', zoom: 1, x: 0.5, y: 0.5 }

/** The kept part in pixels of the picture: always inside it. */
export function findCropBox(picture: Size, { shape, zoom, x, y }: Crop) {
  const side = Math.min(picture.width, picture.height)
  const largest = shape === 'square' ? { width: side, height: side } : picture
  const width = largest.width / zoom
  const height = largest.height / zoom
  return {
    width,
    height,
    left: clamp(x * picture.width - width / 2, 0, picture.width - width),
    top: clamp(y * picture.height - height / 2, 0, picture.height - height),
  }
}

/** @param by how far the picture is dragged, in parts of the frame's width and height */
export function dragCrop(picture: Size, crop: Crop, by: { x: number; y: number }): Crop {
  const box = findCropBox(picture, crop)
  return settle(picture, {
    ...crop,
    x: (box.left + box.width / 2 - by.x * box.width) / picture.width,
    y: (box.top + box.height / 2 - by.y * box.height) / picture.height,
  })
}

export function zoomCrop(picture: Size, crop: Crop, zoom: number): Crop {
  return settle(picture, { ...crop, zoom: clamp(zoom, 1, maxZoom) })
}

export function shapeCrop(picture: Size, crop: Crop, shape: CropShape): Crop {
  return settle(picture, { ...crop, shape })
}

/** The size that a part is stored with: within `box`, never enlarged. */
export function fitInto(part: Size, box: Size): Size {
  const scale = Math.min(1, box.width / part.width, box.height / part.height)
  return {
    width: Math.max(1, Math.round(part.width * scale)),
    height: Math.max(1, Math.round(part.height * scale)),
  }
}

/** Moves the middle to where the part really is, so that dragging back answers at once. */
function settle(picture: Size, crop: Crop): Crop {
  const box = findCropBox(picture, crop)
  return {
    ...crop,
    x: (box.left + box.width / 2) / picture.width,
    y: (box.top + box.height / 2) / picture.height,
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), Math.max(least, most))
}
