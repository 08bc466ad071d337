import { describe, expect, it } from 'vitest'
import { detectFileKind, headBytes } from './detect-file-kind.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')

describe('a file', () => {
  it.each([
    ['\xff\xd8\xff\xe0\0\x10JFIF', 'image', 'image/jpeg'],
    ['\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'image', 'image/png'],
    ['GIF87a', 'image', 'image/gif'],
    ['GIF89a', 'image', 'image/gif'],
    ['RIFF\x24\0\0\0WEBPVP8 ', 'image', 'image/webp'],
    ['RIFF\x24\0\0\0WEBPVP8X', 'image', 'image/webp'],
    ['\0\0\0\x1cftypavif', 'image', 'image/avif'],
    ['\0\0\0\x20ftypisom', 'video', 'video/mp4'],
    ['\0\0\0\x18ftypmp42', 'video', 'video/mp4'],
    ['\0\0\0\x14ftypqt  ', 'video', 'video/quicktime'],
    ['\0\0\0\x14ftyp3gp5', 'video', 'video/3gpp'],
    ['\x1a\x45\xdf\xa3\x42\x82\x84webm…V_VP9…A_OPUS', 'video', 'video/webm'],
    ['\x1a\x45\xdf\xa3\x42\x82\x84webm…A_OPUS', 'audio', 'audio/webm'],
    ['OggS\0\x02…OpusHead', 'audio', 'audio/ogg'],
    ['OggS\0\x02…\x80theora', 'video', 'video/ogg'],
    ['RIFF\x24\0\0\0WAVEfmt ', 'audio', 'audio/wav'],
    ['ID3\x03', 'audio', 'audio/mpeg'],
    ['\xff\xfb\x90', 'audio', 'audio/mpeg'],
    ['\xff\xf1\x50', 'audio', 'audio/aac'],
    ['fLaC', 'audio', 'audio/flac'],
    ['\0\0\0\x1cftypM4A ', 'audio', 'audio/mp4'],
    ['%PDF-1.7', 'document', 'application/pdf'],
    ['PK\x03\x04', 'document', 'application/zip'],
  ])('that begins with %j is %s', (head, type, mimeType) => {
    expect(detectFileKind(bytes(head))).toEqual({ type, mimeType })
  })

  it.each([
    ['sound alone', ['soun'], 0, 'audio/mp4'],
    ['a picture beside the sound', ['soun', 'vide'], 0, 'video/mp4'],
    ['tracks that reach beyond what is looked at', ['soun'], headBytes, 'video/mp4'],
  ])('that a browser recorded as MP4, with %s, says so', (_what, tracks, missing, mimeType) => {
    const said = tracks.map((track) => `hdlr${'\0'.repeat(8)}${track}`).join('')
    const size = Buffer.alloc(4)
    size.writeUInt32BE(8 + said.length + missing)
    const moov = `${size.toString('latin1')}moov${said}`
    const file = `\0\0\0\x14ftypiso5\0\0\0\0iso5${moov}`
    expect(detectFileKind(bytes(file)).mimeType).toBe(mimeType)
  })

  it.each([
    '',
    'x',
    'hello',
    '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
    '<?xml version="1.0"?><svg/>',
    '<!DOCTYPE html>',
    '\xef\xbb\xbf<html>',
    'GIF89a/*<script>alert(1)</script>*/=1',
    'GIF89a<HTML>',
    '\xff\xd8\xff\xe0\0\x10JFIF<!doctype html>',
    '\x89PNG\r\n\x1a\n\0\0\0\rIHDR<svg',
    'RIFF\x24\0\0\0WEBPVP8 %PDF-1.4',
    'ID3<iframe src=x>',
    '\x89PNG\r\n\x1a\n\0\0\0\rIDAT',
    'RIFF\x24\0\0\0AVI LIST',
    '\x1a\x45\xdf\xa3\x42\x82\x88matroska',
    '\0\0\0\x1cftypheic',
    '\0\0\0\x1cftyp<svg',
    ' GIF89a',
    'MZ\x90\0',
    '\x7fELF',
    '#!/bin/sh',
  ])('that begins with %j is bytes to be saved', (head) => {
    expect(detectFileKind(bytes(head))).toEqual({
      type: 'document',
      mimeType: 'application/octet-stream',
    })
  })

  it('is told by its beginning only, however long it is', () => {
    const long = bytes(`GIF89a${'\0'.repeat(headBytes)}<script>`)
    expect(detectFileKind(long).mimeType).toBe('image/gif')
  })
})
