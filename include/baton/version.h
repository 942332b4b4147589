/* The version of baton: what `baton --version` prints and the process records of its traces name.
 */
#ifndef BATON_VERSION_H
#define BATON_VERSION_H

#define BATON_VERSION "0.1.0"

#endif
