import type { VitePWAOptions } from 'vite-plugin-pwa'
import { productName } from '../ui/product.ts'
import { serverPaths } from './server-paths.ts'

const themeColour = '#00776d'
const shortcutIcon = { src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png' }

/**
 * The manifest and the service worker, generated at build time; the worker caches every file of the
 * app.
 */
export const pwaOptions: Partial<VitePWAOptions> = {
  registerType: 'prompt',
  // createAppUpdate registers it.
  injectRegister: null,
  manifest: {
    id: '/',
    name: productName,
    short_name: productName,
    description: 'The messenger that does not care whether the network is there.',
    start_url: '/chat',
    scope: '/',
    display: 'standalone',
    theme_color: themeColour,
    background_color: themeColour,
    categories: ['social', 'communication'],
    shortcuts: [
      { name: 'New chat', url: '/chat/search', icons: [shortcutIcon] },
      {
        name: 'Starred messages',
        short_name: 'Starred',
        url: '/chat/starred',
        icons: [shortcutIcon],
      },
    ],
    share_target: {
      action: '/share',
      method: 'POST',
      enctype: 'multipart/form-data',
      params: {
        title: 'title',
        text: 'text',
        url: 'url',
        files: [{ name: 'files', accept: ['*/*'] }],
      },
    },
    icons: [
      { src: '/icons/petrel.svg', sizes: 'any', type: 'image/svg+xml' },
      { src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png' },
      { src: '/icons/icon-512.png', sizes: '512x512', type: 'image/png' },
      {
        src: '/icons/icon-maskable-512.png',
        sizes: '512x512',
        type: 'image/png',
        purpose: 'maskable',
      },
    ],
  },
  workbox: {
    // As a separate file it can fail to load unnoticed, and the browser installs a worker that
    // caches nothing.
    inlineWorkboxRuntime: true,
    importScripts: ['/push-worker.js', '/share-target.js'],
    globPatterns: ['**/*.{js,css,html,svg,png,webp,woff2,json}', 'files.txt'],
    // The plugin adds the manifest's icons itself: an entry listed twice loads twice.
    // The worker's own parts are among them: the app's fingerprint reads them, offline too.
    globIgnores: ['icons/*.{png,svg}', 'emoji/*'],
    // Large and rarely used: `loadSheet` caches the chosen one.
    runtimeCaching: [
      {
        urlPattern: /\/emoji\/[^/]+\.png$/,
        handler: 'CacheFirst',
        options: { cacheName: 'emoji-sheets' },
      },
    ],
    maximumFileSizeToCacheInBytes: 6 * 1024 * 1024,
    navigateFallback: 'index.html',
    navigateFallbackDenylist: [new RegExp(`^/(${serverPaths.join('|')})(/|\\?|$)`)],
    cleanupOutdatedCaches: true,
  },
}
